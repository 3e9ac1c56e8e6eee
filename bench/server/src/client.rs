//! The calls of a user, the same for each version of kube.

use std::time::Duration;

use cpu_time::ThreadTime;

use crate::pods::{OBJECTS, Pods, annotation, new_image};

/// What is measured, in the order in which it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Create,
    Get,
    List,
    Select,
    Strategic,
    Merge,
    Delete,
}

impl Operation {
    pub(crate) const ALL: [Operation; 7] = [
        Operation::Create,
        Operation::Get,
        Operation::List,
        Operation::Select,
        Operation::Strategic,
        Operation::Merge,
        Operation::Delete,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Operation::Create => "create",
            Operation::Get => "get",
            Operation::List => "list of 2,000",
            Operation::Select => "list, selector keeps 10 %",
            Operation::Strategic => "strategic merge patch",
            Operation::Merge => "merge patch",
            Operation::Delete => "delete",
        }
    }

    /// How often it is done in a round.
    fn count(self) -> usize {
        match self {
            Operation::List | Operation::Select => 10,
            _ => OBJECTS,
        }
    }
}

/// Microseconds of the thread's processor time; everything happens on one thread.
async fn microseconds(count: usize, work: impl Future<Output = ()>) -> f64 {
    let start = ThreadTime::now();
    work.await;
    let took: Duration = start.elapsed();
    took.as_secs_f64() * 1e6 / count as f64
}

macro_rules! user {
    ($name:ident, $kube:ident, $types:ident) => {
        pub(crate) struct $name {
            pods: $kube::Api<$types::api::core::v1::Pod>,
            objects: Vec<$types::api::core::v1::Pod>,
        }

        impl $name {
            pub(crate) fn new(client: $kube::Client, pods: Pods) -> Self {
                let objects = (0..OBJECTS).map(|at| serde_json::from_value(pods.pod(at)).unwrap()).collect();
                $name { pods: $kube::Api::default_namespaced(client), objects }
            }

            /// Microseconds for each time the operation is done.
            pub(crate) async fn measure(&self, operation: Operation) -> f64 {
                let count = operation.count();
                microseconds(count, async {
                    for at in 0..count {
                        self.perform(operation, at).await;
                    }
                })
                .await
            }

            pub(crate) async fn perform(&self, operation: Operation, at: usize) {
                use $kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
                let (pods, name) = (&self.pods, Pods::name(at));
                match operation {
                    Operation::Create => {
                        drop(pods.create(&PostParams::default(), &self.objects[at]).await.unwrap());
                    }
                    Operation::Get => drop(pods.get(&name).await.unwrap()),
                    Operation::List => drop(pods.list(&ListParams::default()).await.unwrap()),
                    Operation::Select => {
                        drop(pods.list(&ListParams::default().labels("group=3")).await.unwrap());
                    }
                    Operation::Strategic => {
                        let patch = Patch::Strategic(new_image(at));
                        drop(pods.patch(&name, &PatchParams::default(), &patch).await.unwrap());
                    }
                    Operation::Merge => {
                        let patch = Patch::Merge(annotation(at));
                        drop(pods.patch(&name, &PatchParams::default(), &patch).await.unwrap());
                    }
                    Operation::Delete => {
                        drop(pods.delete(&name, &DeleteParams::default()).await.unwrap());
                    }
                }
            }

            /// The containers of an object, by name.
            pub(crate) async fn containers(&self, at: usize) -> Vec<String> {
                let pod = self.pods.get(&Pods::name(at)).await.unwrap();
                pod.spec.unwrap().containers.into_iter().map(|container| container.name).collect()
            }
        }
    };
}

user!(Kube4, kube4, k8s_openapi_28);
user!(Kube5, kube5, k8s_openapi_29);
