//! Code used only with a software driver ([`Graphics::is_software`](super::surface::Graphics::is_software)).

mod panel_texture;
mod panel_tiles;

pub(super) use panel_texture::PanelTexture;
