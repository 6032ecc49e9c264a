//! Stopped runs: nothing half-written is left.
#![cfg(unix)]

use std::process::{Child, Command};
use std::thread::sleep;
use std::time::Duration;

use crate::call::Folder;

const WORDS: [&str; 5] = ["pca", "big.csv", "-o", "out.csv", "-q"];

fn with_big_table() -> Folder {
    let folder = Folder::new();
    folder.done(&["data", "blobs:150000,columns=20", "-o", "big.csv", "-q"]);
    folder
}

fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
}

#[test]
fn an_interrupt_stops_with_code_130_and_leaves_nothing() {
    let folder = with_big_table();
    for signal in ["-INT", "-TERM"] {
        let mut child = folder.command(&WORDS).spawn().unwrap();
        sleep(Duration::from_millis(150));
        send(signal, &child);
        let status = child.wait().unwrap();
        // A machine that reads the table in no time is done before.
        if status.success() {
            continue;
        }
        assert_eq!(status.code(), Some(130));
        assert_eq!(folder.names(), ["big.csv"]);
    }
}

#[test]
fn a_streaming_run_is_interrupted_too() {
    let folder = with_big_table();
    let words = [&WORDS[..], &["--streaming", "--batch-rows", "100"]].concat();
    let mut child = folder.command(&words).spawn().unwrap();
    sleep(Duration::from_millis(400));
    send("-INT", &child);
    let status = child.wait().unwrap();
    if !status.success() {
        assert_eq!(status.code(), Some(130));
        assert_eq!(folder.names(), ["big.csv"]);
    }
}

#[test]
fn a_killed_run_leaves_no_output_under_its_name() {
    let folder = with_big_table();
    let words = [&WORDS[..], &["--save", "m.charta", "--plot", "p.png"]].concat();
    for pause in [20, 200, 500, 900] {
        let mut child = folder.command(&words).spawn().unwrap();
        sleep(Duration::from_millis(pause));
        child.kill().unwrap();
        if child.wait().unwrap().success() {
            return;
        }
        if folder.path("out.csv").exists() {
            assert_eq!(folder.text("out.csv").lines().count(), 150_001);
            std::fs::remove_file(folder.path("out.csv")).unwrap();
        }
    }
}
