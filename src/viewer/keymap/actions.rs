//! The table of all actions that a key or the command palette can trigger.

/// Declares the actions, each with its group, name and shortcuts in the sinew, Blender and Maya keymaps. " or " separates multiple
/// shortcuts.
macro_rules! actions {
    ($($action:ident $group:literal $name:literal $sinew:literal $blender:literal $maya:literal;)*) => {
        /// An action that a key or the command palette triggers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Action {
            $(#[doc = $name] $action,)*
        }

        /// The rows of the table in the order of the actions.
        const ROWS: &[(Action, &str, &str, [&str; 3])] = &[
            $((Action::$action, $group, $name, [$sinew, $blender, $maya]),)*
        ];
    };
}

actions! {
    Open "File" "Open a file" "Ctrl+O" "Ctrl+O" "Ctrl+O";
    Save "File" "Save the project" "Ctrl+S" "Ctrl+S" "Ctrl+S";
    SaveAs "File" "Save the project as" "Ctrl+Shift+S" "Ctrl+Shift+S" "Ctrl+Shift+S";
    ExportClip "File" "Export what the timeline plays" "Ctrl+E" "Ctrl+E" "Ctrl+E";
    SaveImage "File" "Save an image" "F12" "F12" "F12";
    SavePose "File" "Save the pose as JSON" "" "" "";
    SavePosedGlb "File" "Save a posed .glb" "" "" "";
    ChooseFolder "File" "Choose the folder for images and poses" "" "" "";
    Record "File" "Start or stop recording" "Ctrl+R" "Ctrl+R" "Ctrl+R";
    Reload "File" "Read the file again" "F5" "F5" "F5";
    Previous "File" "Open the previous file of the folder" "PageUp" "PageUp" "PageUp";
    Next "File" "Open the next file of the folder" "PageDown" "PageDown" "PageDown";
    Quit "File" "Quit" "Ctrl+Q" "Ctrl+Q" "Ctrl+Q";
    Undo "Edit" "Undo" "Ctrl+Z" "Ctrl+Z" "Ctrl+Z or Z";
    Redo "Edit" "Redo" "Ctrl+Shift+Z" "Ctrl+Shift+Z" "Ctrl+Shift+Z or Shift+Z";
    CopyPose "Edit" "Copy the pose" "Ctrl+C" "Ctrl+C" "Ctrl+C";
    PastePose "Edit" "Paste a pose" "Ctrl+V" "Ctrl+V" "Ctrl+V";
    MirrorPose "Edit" "Mirror the pose" "M" "Ctrl+M" "Ctrl+M";
    MirrorLimb "Edit" "Mirror the selected limb to the other side" "Shift+M" "Shift+M" "Shift+M";
    ResetLimb "Edit" "Reset the limb" "R" "Alt+G" "";
    ResetJoint "Edit" "Reset the joint" "Shift+R" "Alt+R" "";
    RestAll "Edit" "Reset the whole character" "" "" "";
    ClearGoals "Edit" "Remove all goals and pins" "" "" "";
    Pin "Joint" "Pin the joint" "P" "P" "P";
    Base "Joint" "Use the joint as base" "B" "B" "B";
    Move "Joint" "Pull the selected joint with the pointer" "G" "G" "W";
    Turn "Joint" "Turn the selected joint with the pointer" "T" "R" "E";
    RingMode "Joint" "Rings turn the limb (IK) or the joint (FK)" "E" "E" "J";
    AxisX "Joint" "Constrain to the X axis" "X" "X" "X";
    AxisY "Joint" "Constrain to the Y axis" "Y" "Y" "Y";
    AxisZ "Joint" "Constrain to the Z axis" "Z" "Z" "";
    Scope "Joint" "Drag the body, the limb or the joint" "L" "L" "L";
    Symmetry "Joint" "Drag symmetrically" "Shift+X" "Shift+X" "Shift+X";
    Landing "Joint" "Land on surfaces" "" "" "";
    AddClips "Timeline" "Add the clips of a file" "" "" "";
    Key "Timeline" "Insert a key" "K" "I or K" "S or K";
    AutoKey "Timeline" "Insert keys automatically" "" "" "";
    Play "Timeline" "Play or pause" "Space" "Space" "Space or Alt+V";
    PreviousFrame "Timeline" "Previous frame" "Left" "Left" "Alt+, or Left";
    NextFrame "Timeline" "Next frame" "Right" "Right" "Alt+. or Right";
    PreviousKey "Timeline" "Previous key" "Down" "Down" ", or Down";
    NextKey "Timeline" "Next key" "Up" "Up" ". or Up";
    FirstFrame "Timeline" "Go to the start" "Shift+Left" "Shift+Left" "Alt+Shift+V or Shift+Left";
    LastFrame "Timeline" "Go to the end" "Shift+Right" "Shift+Right" "Shift+Right";
    LoopStart "Timeline" "Start the loop here" "[" "Ctrl+Home or [" "[";
    LoopEnd "Timeline" "End the loop here" "]" "Ctrl+End or ]" "]";
    LoopAll "Timeline" "Loop the whole motion" "" "Ctrl+Alt+P" "";
    Front "View" "View from the front" "Num 1 or Alt+1" "Num 1" "Alt+1 or Num 1";
    Back "View" "View from the back" "Ctrl+Num 1 or Ctrl+Alt+1" "Ctrl+Num 1" "Ctrl+Alt+1 or Ctrl+Num 1";
    Side "View" "View from the left side" "Num 3 or Alt+3" "Num 3" "Alt+3 or Num 3";
    OtherSide "View" "View from the right side" "Ctrl+Num 3 or Ctrl+Alt+3" "Ctrl+Num 3" "Ctrl+Alt+3 or Ctrl+Num 3";
    Top "View" "View from above" "Num 7 or Alt+7" "Num 7" "Alt+7 or Num 7";
    Bottom "View" "View from below" "Ctrl+Num 7 or Ctrl+Alt+7" "Ctrl+Num 7" "Ctrl+Alt+7 or Ctrl+Num 7";
    Projection "View" "Perspective or orthographic" "Num 5 or Alt+5" "Num 5" "Alt+5 or Num 5";
    HomeView "View" "Home view" "Home" "Alt+Home" "Alt+Home or Home";
    FrameAll "View" "Frame the character" "F" "Home or F" "A";
    FrameSelected "View" "Frame the selected joint" "Shift+F or Num ." "Num ." "F or Num .";
    Follow "View" "Camera follows the character" "" "" "";
    Skeleton "View" "Show the skeleton" "S" "S" "";
    Face "Window" "Switch between pose and lab" "Ctrl+Tab" "Ctrl+Tab" "Ctrl+Tab";
    HidePanels "Window" "Show only the scene" "Tab" "Tab" "Tab";
    FoldBeside "Window" "Fold the panes beside the scene" "N" "N" "N";
    FoldBelow "Window" "Fold the panes below the scene" "Shift+N" "Shift+N" "Shift+N";
    ResetLayout "Window" "Reset the layout of the panes" "" "" "";
    Palette "Window" "Find an action" "Ctrl+P or F3" "F3 or Ctrl+P" "Ctrl+P or F3";
    Shortcuts "Window" "List the shortcuts" "? or F1" "? or F1" "? or F1";
    NextStep "Solver" "Next step of the last solve" "." "." "Ctrl+.";
    PreviousStep "Solver" "Previous step of the last solve" "," "," "Ctrl+,";
    Ccd "Solver" "Solve with CCD" "0" "0" "0";
    Particle "Solver" "Solve with particle IK" "1" "1" "1";
    DlsEuler "Solver" "Solve with damped least squares, Euler angles" "2" "2" "2";
    Dls "Solver" "Solve with damped least squares" "3" "3" "3";
    Fabrik "Solver" "Solve with FABRIK" "4" "4" "4";
    TwoBone "Solver" "Solve with two-bone" "5" "5" "5";
    Fused "Solver" "Solve with the fused method" "6" "6" "6";
    Optimize "Solver" "Solve by optimization" "7" "7" "7";
    FullBody "Solver" "Solve with the full-body method" "8" "8" "8";
    Auto "Solver" "Choose the method automatically" "9" "9" "9";
}

impl Action {
    /// All actions.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|(action, ..)| *action)
    }

    fn row(self) -> (&'static str, &'static str, [&'static str; 3]) {
        let row = ROWS.get(self as usize);
        row.map_or_else(Default::default, |(_, group, name, keys)| (*group, *name, *keys))
    }

    /// Returns the action's group, for example `File`.
    pub fn group(self) -> &'static str {
        self.row().0
    }

    /// Returns the display name, for example `Open a file`.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// Returns whether the action repeats while its key is held down.
    pub fn repeats(self) -> bool {
        let steps = [Self::NextStep, Self::PreviousStep, Self::NextFrame, Self::PreviousFrame];
        steps.contains(&self) || matches!(self, Self::NextKey | Self::PreviousKey)
    }

    /// Returns the shortcuts in the sinew, Blender and Maya keymaps.
    pub(super) fn keys(self) -> [&'static str; 3] {
        self.row().2
    }
}
