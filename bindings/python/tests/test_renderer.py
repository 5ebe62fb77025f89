"""Images. They need a graphics adapter, hardware or software."""

import numpy as np
import pytest

import sinew


@pytest.fixture(scope="module")
def renderer():
    return sinew.Renderer()


@pytest.fixture
def puppet(mannequin):
    puppet = sinew.Puppet(mannequin)
    puppet.update()
    return puppet


def test_the_mask_shows_the_character(renderer, puppet):
    image = renderer.render(puppet, (160, 120), mode="mask", samples=1)
    assert image.shape == (120, 160, 4) and image.dtype == np.uint8 and image.flags.c_contiguous
    white = image[..., 0] == 255
    assert 0.02 < white.mean() < 0.5 and set(np.unique(image[..., :3])) == {0, 255}
    # The character is in view, so the mask covers most rows but does not touch the borders.
    rows, columns = np.flatnonzero(white.any(axis=1)), np.flatnonzero(white.any(axis=0))
    assert 0 < rows[0] < 40 and 80 < rows[-1] < 119
    assert columns[0] > 10 and columns[-1] < 150


def test_a_raised_hand_moves_pixels(renderer, mannequin, puppet):
    before = renderer.render(puppet, (160, 120), mode="mask", samples=1)
    puppet.update([sinew.Target("leftHand", (0.3, 1.8, 0.2))])
    after = renderer.render(puppet, (160, 120), mode="mask", samples=1)
    assert 20 < (before != after).any(axis=-1).sum() < 4000


def test_images_repeat_bit_for_bit(renderer, puppet):
    first, second = (renderer.render(puppet, (64, 64)) for _ in range(2))
    assert first.tobytes() == second.tobytes()


def test_backgrounds(renderer, puppet):
    clear = renderer.render(puppet, (64, 64), background="transparent", floor=False)
    assert clear[0, 0, 3] == 0 and clear[..., 3].max() == 255
    blue = renderer.render(puppet, (64, 64), background="#0000ff", floor=False)
    assert tuple(blue[0, 0]) == (0, 0, 255, 255)


def test_the_camera_can_be_placed(renderer, puppet):
    near = renderer.render(
        puppet, (64, 64), mode="mask", camera_position=(0, 1.4, 0.6), camera_target=(0, 1.4, 0), fov_y=0.6
    )
    far = renderer.render(puppet, (64, 64), mode="mask", camera_position=(0, 1.4, 20), camera_target=(0, 1.4, 0))
    tight = renderer.render(puppet, (64, 64), mode="mask", framing="tight")
    auto = renderer.render(puppet, (64, 64), mode="mask")
    shares = [(image[..., 0] > 127).mean() for image in (near, tight, auto, far)]
    assert shares[0] > 0.3 and shares == sorted(shares, reverse=True) and shares[3] < 0.01
    above = renderer.render(puppet, (32, 32), mode="mask", camera_position=(0, 5, 0), camera_target=(0, 0, 0))
    assert (above[..., 0] > 127).any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"size": (0, 10)}, "image size 0x10 is empty"),
        ({"size": (1 << 20, 8)}, "exceeds the adapter's limit"),
        ({"mode": "x"}, "unknown shading mode"),
        ({"light": "moon"}, "moon"),
        ({"background": "red"}, "unknown background"),
        ({"samples": 3}, "3 samples per pixel are not supported"),
        ({"framing": "x"}, "unknown framing"),
        ({"fov_y": 4.0}, "fov_y"),
        ({"fov_y": float("nan")}, "fov_y"),
        ({"camera_position": (0, float("nan"), 0)}, r"camera_position\[1\] is not finite"),
        ({"camera_position": (1, 1, 1), "camera_target": (1, 1, 1)}, "camera_position must differ"),
        ({"camera_position": (0, 1, 9), "camera_target": (0, 1, 0), "camera_up": (0, 0, 1)}, "parallel"),
        ({"camera_position": (0, 0, 1e300)}, "single precision"),
    ],
)
def test_arguments_that_are_refused(renderer, puppet, arguments, message):
    with pytest.raises(sinew.Error, match=message) as error:
        renderer.render(puppet, **arguments)
    assert "\n" not in str(error.value)
    # The renderer still draws.
    assert renderer.render(puppet, (8, 8)).shape == (8, 8, 4)


def test_adapters():
    with pytest.raises(sinew.Error, match="unknown adapter"):
        sinew.Renderer("abacus")
    with pytest.raises(sinew.Error, match="no graphics adapter matches"):
        sinew.Renderer("vulkan:no such adapter")
