//! A lost device is reported as lost, and a new device draws the same image.

use sinew::puppet::Puppet;
use sinew::render::{DecodedImage, DecodedImages, RenderError, Renderer, ShadingMode};
use sinew::scene;

use crate::{renderer, typical_view};
use sinew_testkit::mannequin;

const SIZE: (u32, u32) = (96, 72);

fn draw(renderer: &mut Renderer, puppet: &Puppet) -> Result<DecodedImage, RenderError> {
    let bounds = puppet.bounds();
    let settings = typical_view(bounds, 96.0 / 72.0);
    let images = DecodedImages::decode(puppet.character(), puppet.parts(), ShadingMode::Shaded);
    let model = renderer.model(puppet.character(), puppet.parts(), &images)?;
    renderer.render(&[&model], &scene::frame(puppet, &settings), SIZE)
}

#[test]
fn a_lost_device_is_reported_and_a_new_one_draws_the_same() {
    let puppet = Puppet::new(mannequin(), 0);
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
