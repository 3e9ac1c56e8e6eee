package example;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.*;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.util.List;
import java.util.Map;

/** Keeps a ConfigMap with the text of each Greeting, and removes it with the Greeting. */
@ControllerConfiguration
public class GreetingReconciler implements Reconciler<Greeting>, Cleaner<Greeting> {
  @Override
  public List<EventSource<?, Greeting>> prepareEventSources(EventSourceContext<Greeting> context) {
    var configuration =
        InformerEventSourceConfiguration.from(ConfigMap.class, Greeting.class).build();
    return List.of(new InformerEventSource<>(configuration, context));
  }

  @Override
  public UpdateControl<Greeting> reconcile(Greeting greeting, Context<Greeting> context) {
    ConfigMap wanted =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName(greeting.getMetadata().getName())
            .withNamespace(greeting.getMetadata().getNamespace())
            .endMetadata()
            .withData(Map.of("text", greeting.getSpec().text))
            .build();
    wanted.addOwnerReference(greeting);
    context.getClient().resource(wanted).forceConflicts().serverSideApply();
    greeting.setStatus(new Greeting.Status());
    greeting.getStatus().configMap = wanted.getMetadata().getName();
    greeting.getMetadata().setManagedFields(null);
    return UpdateControl.patchStatus(greeting);
  }

  @Override
  public DeleteControl cleanup(Greeting greeting, Context<Greeting> context) {
    var metadata = greeting.getMetadata();
    context
        .getClient()
        .configMaps()
        .inNamespace(metadata.getNamespace())
        .withName(metadata.getName())
        .delete();
    return DeleteControl.defaultDelete();
  }
}
