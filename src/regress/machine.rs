//! The machine that draws: a software driver compiles for the CPU that it runs on, so its name alone does not say
//! what it draws.

use std::fmt;

/// An adapter with its driver, and the CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// As [`Gpu::describe`](crate::render::Gpu::describe) names it, with backend and driver version; `None` where
    /// nothing was drawn.
    pub adapter: Option<String>,
    /// As the system names it.
    pub processor: String,
}

impl Machine {
    /// This machine, drawing with an adapter.
    pub fn new(adapter: Option<String>) -> Self {
        Self { adapter, processor: processor() }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, on {}", self.adapter.as_deref().unwrap_or("no adapter"), self.processor)
    }
}

/// The CPU's name where Linux or Windows names it, else its architecture.
fn processor() -> String {
    let linux = || named(&std::fs::read_to_string("/proc/cpuinfo").ok()?);
    let windows = || std::env::var("PROCESSOR_IDENTIFIER").ok();
    linux().or_else(windows).unwrap_or_else(|| std::env::consts::ARCH.into())
}

/// The first processor of Linux's `/proc/cpuinfo`. On x86 the model name alone may be as vague as "AMD EPYC"; on 64-bit
/// Arm there are only numbers.
fn named(info: &str) -> Option<String> {
    let field = |key: &str| {
        let mut pairs = info.lines().filter_map(|line| line.split_once(':'));
        pairs.find(|(name, _)| name.trim() == key).map(|(_, value)| value.trim())
    };
    if let Some(name) = field("model name") {
        return Some(match (field("cpu family"), field("model")) {
            (Some(family), Some(model)) => format!("{name} (family {family}, model {model})"),
            _ => name.to_owned(),
        });
    }
    let (implementer, part) = (field("CPU implementer")?, field("CPU part")?);
    Some(format!("{} (implementer {implementer}, part {part})", std::env::consts::ARCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_is_named_as_linux_names_it() {
        let x86 = "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 26\nmodel\t\t: 2\n\
            model name\t: AMD EPYC\n\nprocessor\t: 1\ncpu family\t: 7\nmodel name\t: other\n";
        assert_eq!(named(x86).as_deref(), Some("AMD EPYC (family 26, model 2)"));
        assert_eq!(
            named("model name : ARMv7 Processor rev 4 (v7l)\n").unwrap(),
            "ARMv7 Processor rev 4 (v7l)"
        );
        let arm = named("processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n").unwrap();
        assert!(arm.ends_with(" (implementer 0x41, part 0xd0c)"), "{arm}");
        assert_eq!(named("BogoMIPS : 50\n"), None);
    }

    #[test]
    fn a_machine_without_an_adapter_says_so() {
        let machine = Machine { adapter: None, processor: "a CPU".into() };
        assert_eq!(machine.to_string(), "no adapter, on a CPU");
        assert!(!Machine::new(None).processor.is_empty());
    }
}
