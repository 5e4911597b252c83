"use strict";
/* Shows the language asked for; page.js does the rest. */
metajudge.show(metajudge.data.language);
document.documentElement.dataset.ready = "true";
