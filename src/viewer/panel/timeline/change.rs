//! Changes to the motion as commands. Each change is one undo step.

use egui::Response;

use crate::Command;
use crate::motion::Motion;
use crate::panel::finish;

/// Issues the commands that replace the motion as one undo step.
pub(in crate::panel) fn push_change(commands: &mut Vec<Command>, motion: Motion) {
    commands.extend([Command::Release, Command::Motion(Box::new(motion)), Command::Release]);
}

/// Issues the commands for a changed field. One drag of the field, or one typed number, is one undo step.
pub(in crate::panel) fn push_edit(
    commands: &mut Vec<Command>,
    field: &Response,
    motion: impl FnOnce() -> Motion,
) {
    if field.drag_started() {
        commands.push(Command::Release);
    }
    if field.changed() {
        commands.push(Command::Motion(Box::new(motion())));
    }
    finish(field, commands);
}
