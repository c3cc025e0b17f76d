// The site's script: a button on each block of code that copies it. Nothing on a page needs it.
#include "engine/report/site_document.h"

namespace assay {

std::string_view site_script() {
  return R"("use strict";
if (navigator.clipboard) {
  for (const block of document.querySelectorAll("pre")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(block.textContent);
      button.textContent = "Copied";
    });
    block.after(button);
  }
}
)";
}

}  // namespace assay
