// A page opened from a folder cannot start a Worker. The search runs in a hidden frame there instead.
if (location.protocol === "file:") {
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const { contentDocument: page, contentWindow: scope } = this.frame;
      page.open();
      scope.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.isReady = new Promise((resolve) => this.frame.addEventListener("load", resolve, { once: true }));
      page.write(`<script src="${url}"></` + "script>");
      page.close();
    }

    postMessage(data) {
      this.isReady.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}
