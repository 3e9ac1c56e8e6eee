//! kubemerge-server with the client of kube 4: the server is a `tower::Service`, which every version of kube takes.

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::api::{Api, ListParams, Patch, PatchParams};
    use kubemerge_server::ApiServer;
    use serde_json::json;

    #[tokio::test]
    async fn kube_4_talks_to_the_server() -> Result<(), Box<dyn std::error::Error>> {
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "1"}});
        let server = ApiServer::builder().objects([object]).build()?;
        let client = kube::Client::new(server.service(), "default");

        let maps: Api<ConfigMap> = Api::default_namespaced(client);
        let patch = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"k": "2"}});
        let patched = maps.patch("a", &PatchParams::apply("me").force(), &Patch::Apply(patch)).await?;
        assert_eq!(patched.data.unwrap()["k"], "2");
        assert_eq!(maps.list(&ListParams::default()).await?.items.len(), 1);
        Ok(())
    }
}
