//! A store that is unavailable.

use super::*;

#[test]
fn a_store_that_is_away_is_not_asked_for_the_feed() {
    let scene = Scene::new();
    scene.call().unwrap();
    scene.store.set(Mode::Failing);
    scene.world.advance(Duration::from_secs(2));
    let lists = scene.store.lists();
    for _ in 0..10 {
        // Calls use the last snapshot that was read, and none waits.
        let before = scene.here.host.monotonic();
        assert!(scene.call().is_ok());
        assert_eq!(scene.here.host.monotonic(), before);
        scene.world.advance(Duration::from_secs(1));
    }
    assert_eq!(scene.store.lists(), lists);
    scene.store.set(Mode::Present);
    scene.world.advance(Duration::from_secs(1));
    scene.send(SuspendAccount::new("demo", "ada"));
    scene.world.advance(Duration::from_secs(1));
    assert_eq!(
        scene.call().unwrap_err().kind(),
        ErrorKind::AccountSuspended
    );
}
