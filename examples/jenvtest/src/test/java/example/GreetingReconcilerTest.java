package example;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.*;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.jenvtest.junit.EnableKubeAPIServer;
import io.javaoperatorsdk.operator.Operator;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.*;

@EnableKubeAPIServer
class GreetingReconcilerTest {
  static KubernetesClient client;
  static Operator operator;

  @BeforeAll
  static void start() {
    client.load(GreetingReconcilerTest.class.getResourceAsStream("/greetings.yaml")).create();
    client
        .apiextensions()
        .v1()
        .customResourceDefinitions()
        .withName("greetings.example.com")
        .waitUntilCondition(
            one ->
                one.getStatus() != null
                    && one.getStatus().getConditions().stream()
                        .anyMatch(
                            condition ->
                                condition.getType().equals("Established")
                                    && condition.getStatus().equals("True")),
            30,
            TimeUnit.SECONDS);
    operator = new Operator(overrider -> overrider.withKubernetesClient(client));
    operator.register(new GreetingReconciler());
    operator.start();
  }

  @AfterAll
  static void stop() {
    operator.stop();
  }

  static Greeting greeting(String name, String text) {
    Greeting greeting = new Greeting();
    greeting.getMetadata().setName(name);
    greeting.getMetadata().setNamespace("default");
    greeting.setSpec(new Greeting.Spec());
    greeting.getSpec().text = text;
    return greeting;
  }

  static ConfigMap configMap(String name) {
    return client.configMaps().inNamespace("default").withName(name).get();
  }

  static void awaitText(String name, String text) {
    await()
        .atMost(60, TimeUnit.SECONDS)
        .ignoreExceptions()
        .untilAsserted(() -> assertEquals(text, configMap(name).getData().get("text")));
  }

  @Test
  void aGreetingGetsItsConfigMapAndStatus() {
    client.resource(greeting("a", "hello")).create();
    awaitText("a", "hello");
    await()
        .atMost(60, TimeUnit.SECONDS)
        .ignoreExceptions()
        .untilAsserted(
            () -> assertEquals("a", client.resource(greeting("a", "")).get().getStatus().configMap));
    assertEquals(1, configMap("a").getMetadata().getOwnerReferences().size());
  }

  @Test
  void aChangeReachesTheConfigMap() {
    client.resource(greeting("b", "hello")).create();
    awaitText("b", "hello");
    client.resource(greeting("b", "")).edit(one -> {
      one.getSpec().text = "goodbye";
      return one;
    });
    awaitText("b", "goodbye");
  }

  @Test
  void aChangedConfigMapIsRestored() {
    client.resource(greeting("c", "hello")).create();
    awaitText("c", "hello");
    client.configMaps().inNamespace("default").withName("c").edit(one -> {
      one.getData().put("text", "other");
      return one;
    });
    awaitText("c", "hello");
  }

  @Test
  void aDeletedGreetingTakesItsConfigMapAlong() {
    client.resource(greeting("d", "hello")).create();
    awaitText("d", "hello");
    client.resource(greeting("d", "")).delete();
    await().atMost(60, TimeUnit.SECONDS).until(() -> configMap("d") == null);
    await()
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> client.resource(greeting("d", "")).get() == null);
  }

  @Test
  void aTextThatIsTooLongIsRefused() {
    var refused =
        assertThrows(
            KubernetesClientException.class,
            () -> client.resource(greeting("e", "hello".repeat(5))).create());
    assertEquals(422, refused.getCode());
    assertTrue(refused.getMessage().contains("spec.text: Too long"), refused.getMessage());
  }
}
