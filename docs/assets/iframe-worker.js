// A page that was opened as a file may start no worker. Its search then runs in a hidden frame, which takes the same messages.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = data => this.tell(this, data);
      const script = inside.document.createElement("script");
      this.ready = new Promise(resolve => script.addEventListener("load", resolve));
      script.src = url;
      inside.document.head.append(script);
    }

    postMessage(data) {
      this.ready.then(() => this.tell(this.frame.contentWindow, data));
    }

    terminate() {
      this.frame.remove();
    }

    tell(whom, data) {
      whom.dispatchEvent(new MessageEvent("message", { data }));
    }
  };
}
