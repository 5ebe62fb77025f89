//! A lost device is reported as lost, and a new device draws the same image.

use sinew::asset::mannequin;
use sinew::puppet::Puppet;
use sinew::render::{Mode, Picture, Pictures, RenderError, Renderer};
use sinew::stage;

use crate::{renderer, studio};

const SIZE: (u32, u32) = (96, 72);

fn draw(renderer: &mut Renderer, puppet: &Puppet) -> Result<Picture, RenderError> {
    let bounds = puppet.bounds();
    let shot = studio(bounds, 96.0 / 72.0);
    let pictures = Pictures::decode(puppet.character(), puppet.parts(), Mode::Shaded);
    let model = renderer.model(puppet.character(), puppet.parts(), &pictures)?;
    renderer.render(&model, &stage::frame(puppet, &shot), SIZE)
}

#[test]
fn a_lost_device_is_reported_and_a_new_one_draws_the_same() {
    let puppet = Puppet::new(mannequin().unwrap(), 0);
    let mut first = renderer();
    let before = draw(&mut first, &puppet).unwrap();
    first.gpu().device.destroy();
    for _ in 0..3 {
        let error = draw(&mut first, &puppet).unwrap_err();
        assert!(matches!(error, RenderError::Lost(_)), "{error}");
        let line = error.to_string();
        assert!(line.starts_with("the graphics device was lost: ") && !line.contains('\n'), "{line}");
    }
    drop(first);
    assert!(draw(&mut renderer(), &puppet).unwrap() == before, "the image has changed");
}
