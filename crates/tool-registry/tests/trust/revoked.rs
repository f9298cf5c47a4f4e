//! A revoked key signs nothing, and another key can take its place.

use std::fs;

use toolglot_tool_trust::TrustError;

use crate::trust::World;

#[test]
fn a_revoked_key_signs_nothing_and_gives_way_to_another() {
    let world = World::new();
    let old = world.trust().new_key("me").expect("a home").fingerprint();
    let taken = world.trust().new_key("me");
    assert!(matches!(taken, Err(TrustError::KeyExists(_))));
    let mut trust = world.trust();
    trust.revoke(&old, crate::trust::TIME).expect("it is known");
    // Both for the program that revoked it and for a later one.
    for mut trust in [trust, world.trust()] {
        let signing = trust.private_key();
        assert!(matches!(signing, Err(TrustError::RevokedOwn { key, .. }) if key == old));
        let pinned = trust.pin(&old);
        assert!(matches!(pinned, Err(TrustError::Revoked { key, .. }) if key == old));
    }
    let new = world.trust().new_key("me").expect("the old one gives way");
    assert_ne!(new.fingerprint(), old);
    let key = world.trust().private_key().expect("there is a key");
    assert_eq!(key.public(), new);
    let aside = world.home.join(format!(".ai/keys/revoked-{old}.pem"));
    assert!(fs::exists(aside).expect("a folder"));
}
