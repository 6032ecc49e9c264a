//! Has the linker leave out the symbols, a quarter of the program: `strip = true` of the profile leaves them in with the linker of today's Rust.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = std::env::var("CARGO_CFG_TARGET_OS");
    if target.as_deref() == Ok("linux") && std::env::var("PROFILE").as_deref() == Ok("release") {
        println!("cargo::rustc-link-arg-bins=-Wl,--strip-all");
    }
}
