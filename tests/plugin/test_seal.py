"""Sealing: the test vectors of the RFCs, and another implementation that opens what this one sealed."""

import os
import time

import bobbin
import pytest
from processes import REPOSITORY, wanted

hexadecimal = bytes.fromhex
SUNSCREEN = (
    b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."
)


@pytest.mark.parametrize(
    "scalar, point, product",
    [
        (
            "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
            "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
            "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552",
        ),
        (
            "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
            "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
            "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957",
        ),
    ],
)
def test_x25519_as_in_rfc_7748_section_5_2(scalar, point, product):
    assert bobbin._x25519(hexadecimal(scalar), hexadecimal(point)).hex() == product


def test_x25519_a_thousand_times_as_in_rfc_7748_section_5_2():
    k = u = (9).to_bytes(32, "little")
    for _ in range(1000):
        k, u = bobbin._x25519(k, u), k
    assert k.hex() == "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51"


def test_chacha20_as_in_rfc_8439_section_2_4_2():
    text = bobbin._chacha20(bytes(range(32)), hexadecimal("000000000000004a00000000"), 1, SUNSCREEN)
    assert text.hex() == (
        "6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0bf91b65c5524733ab8f593dabcd62b3571639d624e65152ab"
        "8f530c359f0861d807ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab77937365af90bbf74a35be6b40b8eedf2785e42"
        "874d"
    )


def test_poly1305_as_in_rfc_8439_section_2_5_2():
    key = hexadecimal("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b")
    tag = bobbin._poly1305(key, b"Cryptographic Forum Research Group")
    assert tag.hex() == "a8061dc1305136c6c22b8baf0c0127a9"


def test_the_two_together_as_in_rfc_8439_section_2_8_2():
    key, nonce = bytes(range(0x80, 0xA0)), hexadecimal("070000004041424344454647")
    text = bobbin._chacha20_poly1305(key, nonce, SUNSCREEN, hexadecimal("50515253c0c1c2c3c4c5c6c7"))
    assert text.hex() == (
        "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b1a71de0a9e060b29"
        "05d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc3ff4def08e4b7a9de576d26586cec64b"
        "6116" + "1ae10b594f09e26a7e902ecbd0600691"
    )


@pytest.mark.parametrize(
    "salt, info, secret, made",
    [
        (
            "000102030405060708090a0b0c",
            "f0f1f2f3f4f5f6f7f8f9",
            "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5",
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
        ),
        (
            "",
            "",
            "19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04",
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
        ),
    ],
    ids=["A.1", "A.3"],
)
def test_hkdf_as_in_rfc_5869(salt, info, secret, made):
    extracted = bobbin._hkdf_extract(hexadecimal(salt), b"\x0b" * 22)
    assert extracted.hex() == secret
    assert bobbin._hkdf_expand(extracted, hexadecimal(info), 42).hex() == made


def test_hpke_as_in_rfc_9180_section_a_2_1():
    sealed = bobbin._hpke_seal(
        hexadecimal("4310ee97d88cc1f088a5576c77ab0cf5c3ac797f3d95139c6c84b5429c59662a"),
        hexadecimal("4f6465206f6e2061204772656369616e2055726e"),
        hexadecimal("436f756e742d30"),
        hexadecimal("4265617574792069732074727574682c20747275746820626561757479"),
        ephemeral=hexadecimal("f4ec9b33b792c372c1d2c2063507b684ef925b8c75a42dbcbf57d63ccd381600"),
    )
    assert sealed[:32].hex() == "1afa08d3dec047a643885163f1180476fa7ddb54c6a8029ea33f95796bf2ac4a"
    assert sealed[32:].hex() == (
        "1c5250d8034ec2b784ba2cfd69dbdb8af406cfe3ff938e131f0def8c8b60b4db21993c62ce81883d2dd1b51a28"
    )


@pytest.mark.parametrize("size", [0, 1, 15, 16, 64, 64 * 512 - 1, 64 * 512, 64 * 512 + 1, 200_003])
def test_another_implementation_has_the_same_ciphertext_at_any_length(size):
    aead = wanted("cryptography.hazmat.primitives.ciphers.aead")
    key, nonce, data, aad = os.urandom(32), os.urandom(12), os.urandom(size), os.urandom(size % 40)
    assert bobbin._chacha20_poly1305(key, nonce, data, aad) == aead.ChaCha20Poly1305(key).encrypt(nonce, data, aad)


def test_another_implementation_agrees_on_the_secret():
    x25519 = wanted("cryptography.hazmat.primitives.asymmetric.x25519")
    private = x25519.X25519PrivateKey.generate()
    public, scalar = private.public_key().public_bytes_raw(), os.urandom(32)
    other = x25519.X25519PublicKey.from_public_bytes(bobbin._x25519(scalar, (9).to_bytes(32, "little")))
    assert bobbin._x25519(scalar, public) == private.exchange(other)


@pytest.mark.parametrize("point", [0, 1, 2**255 - 18])
def test_a_public_key_that_gives_no_secret_is_refused(point):
    with pytest.raises(ValueError):
        bobbin._seal(point.to_bytes(32, "little"), b"a batch")


def test_two_seals_of_one_batch_have_nothing_in_common():
    public = bobbin._x25519(os.urandom(32), (9).to_bytes(32, "little"))
    one, other = bobbin._seal(public, b"a batch"), bobbin._seal(public, b"a batch")
    assert one.startswith(b"bobbin-sealed-1\n") and len(one) == 16 + 32 + len(b"a batch") + 16
    assert one[16:48] != other[16:48] and one[48:] != other[48:]


def test_a_full_queue_of_text_is_sealed_in_a_fraction_of_the_time_there_is():
    # 32 MiB of text are some 6 MiB once packed; a second and more of the five is left for writing.
    public = bobbin._x25519(os.urandom(32), (9).to_bytes(32, "little"))
    start = time.thread_time()
    bobbin._seal(public, os.urandom(2_000_000))
    assert time.thread_time() - start < 1.0


def test_the_recorded_batch_is_sealed_as_ever():
    """The one that the Rust tests open."""
    folder = REPOSITORY / "tests" / "fixtures" / "spool"
    public = hexadecimal((folder / "public_key").read_text().strip())
    body = (folder / "000000000001.batch").read_bytes()
    sealed = bobbin._hpke_seal(public, bobbin.SPOOL_INFO, b"", body, bytes(range(32, 64)))
    assert (folder / "000000000001.sealed").read_bytes() == bobbin.SEALED_FIRST_LINE + sealed
