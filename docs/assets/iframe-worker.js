// A page that is opened from a disk may start no worker, which the search is. Such a page runs its script in a frame.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      this.ready = new Promise((resolve) => {
        frame.onload = () => {
          const inside = frame.contentWindow;
          inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
          const script = inside.document.createElement("script");
          script.src = new URL(url, document.baseURI);
          script.onload = () => resolve(inside);
          inside.document.body.append(script);
        };
      });
      const add = () => document.body.append(frame);
      if (document.body) add();
      else document.addEventListener("DOMContentLoaded", add);
    }

    postMessage(data) {
      this.ready.then((inside) => inside.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}
