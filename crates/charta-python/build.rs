//! Tells the linker that Python's own symbols are found when the module is loaded: macOS wants to know.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
