//! The command line.

use kubemerge_server::{ApiServer, ManagedFieldsView, Validation};

use crate::{over_http::Scheme, pods::Pods};

/// What is asked for.
pub(crate) struct Options {
    pub(crate) mode: Mode,
    pub(crate) settings: Settings,
    /// One kind of pods instead of all.
    pub(crate) pods: Option<Pods>,
}

/// What the program does.
pub(crate) enum Mode {
    /// All contenders in turns.
    Compete,
    /// One operation of one contender.
    Repeat { contender: String, operation: String, times: usize },
    /// A server for [`Mode::AgainstApiserver`], which starts it.
    Serve { scheme: Scheme },
    /// kubemerge-server and a running kube-apiserver in turns.
    AgainstApiserver { kubeconfig: String },
}

/// How kubemerge-server is set up.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Settings {
    validation: Validation,
    managed_fields: ManagedFieldsView,
}

impl Settings {
    /// The same without validation.
    pub(crate) fn without_validation(self) -> Settings {
        Settings { validation: Validation::Off, ..self }
    }

    pub(crate) fn server(self) -> ApiServer {
        let builder = ApiServer::builder().validation(self.validation).managed_fields(self.managed_fields);
        builder.build().unwrap()
    }
}

impl Options {
    pub(crate) fn read(mut arguments: impl Iterator<Item = String>) -> Options {
        let mut options = Options { mode: Mode::Compete, settings: Settings::default(), pods: None };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().unwrap_or_else(|| panic!("{argument} needs a value"));
            match argument.as_str() {
                "--validation" if value() == "off" => options.settings.validation = Validation::Off,
                "--managed-fields" if value() == "hidden" => {
                    options.settings.managed_fields = ManagedFieldsView::Hidden;
                }
                "--pods" => options.pods = Some(Pods::named(&value()).expect("a kind of pods")),
                "--apiserver" => options.mode = Mode::AgainstApiserver { kubeconfig: value() },
                "serve" => {
                    options.mode = Mode::Serve { scheme: Scheme::named(&value()).expect("http or https") };
                }
                "ours" | "theirs" | "canned" => {
                    let (operation, times) = (value(), value().parse().expect("a number of times"));
                    options.mode = Mode::Repeat { contender: argument, operation, times };
                }
                other => panic!("{other} is not understood"),
            }
        }
        options
    }
}
