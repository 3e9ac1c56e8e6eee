// Sends the latest state to the worker: at most one request is on its way, and only the newest waits.

export class Engine {
  #worker;
  #busy = false;
  #waiting = null;
  #count = 0;
  #done = null;
  /** How long the last requests took, for the benchmark. */
  times = [];

  constructor() {
    this.#start();
  }

  #start() {
    this.#worker = new Worker("worker.js", { type: "module" });
    this.#worker.onmessage = ({ data }) => this.#finish(data);
    this.#worker.onerror = (event) => this.#finish({ trap: event.message ?? "the engine stopped" });
  }

  /** Asks; `done` is called with the answers unless something newer was asked meanwhile. */
  ask(request, done) {
    if (this.#busy) {
      this.#waiting = { request, done };
      return;
    }
    this.#busy = true;
    this.#done = done;
    this.#worker.postMessage({ id: ++this.#count, ...request });
  }

  #finish(reply) {
    this.#busy = false;
    if (reply.trap) {
      this.#worker.terminate();
      this.#start();
    } else {
      this.times.push(reply.milliseconds);
      if (this.times.length > 500) this.times.shift();
    }
    const [done, next] = [this.#done, this.#waiting];
    this.#waiting = null;
    if (next) this.ask(next.request, next.done);
    else done(reply);
  }
}
