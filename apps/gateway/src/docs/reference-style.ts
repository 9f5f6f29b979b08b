/** The style of the reference page: what Swagger UI's own lacks. */
export const referenceStyle = `html.dark-mode .swagger-ui .scheme-container { background: var(--paper); }
.swagger-ui .response-col_links, .swagger-ui .col_header.response-col_links { display: none; }
.swagger-ui .scheme-container { box-shadow: 0 1px 0 var(--line); padding: 1rem 0; }
.swagger-ui .samples { padding: 0 0 1rem; }
.swagger-ui .operations-title { margin: 0 0 .5rem; }
.swagger-ui .sample { margin: .75rem 1.25rem 0; }
.swagger-ui .sample figcaption { color: var(--ink); font-weight: 600; margin-bottom: .25rem; }
.swagger-ui .sample pre { margin: 0; padding: .75rem; overflow-x: auto; color: var(--ink); background: var(--soft); }
.swagger-ui .sample code { color: inherit; font: 13px/1.5 ui-monospace, monospace; white-space: pre; }
.swagger-ui .info { margin: 1.5rem 0; }
.swagger-ui .info .description { max-width: 60rem; }
/* Contrast of WCAG 2.2 AA. */
.swagger-ui a, .swagger-ui .info a, .swagger-ui .info .base-url, .swagger-ui .info .url { color: var(--link); }
.swagger-ui .info .title small, .swagger-ui .info .title small.version-stamp { background: #4a5160; }
.swagger-ui .info .title small pre { color: #fff; }
.swagger-ui .opblock .opblock-summary-method { color: #10151c; text-shadow: none; }
.swagger-ui .opblock .opblock-summary-description { color: var(--ink); }
html:not(.dark-mode) .swagger-ui .btn.authorize :is(span, svg) { color: #156b3c; }
html:not(.dark-mode) .swagger-ui .btn.authorize { color: #156b3c; border-color: #156b3c; }
html:not(.dark-mode) .swagger-ui .btn.authorize svg { fill: #156b3c; }
html.dark-mode .swagger-ui :is(td, th, label, p, li, h2, h3, h4, h5, .examples-select__section-label),
.swagger-ui .parameter__in { color: var(--ink); }
.swagger-ui .name-of-choice { position: absolute; clip-path: inset(50%); }
.swagger-ui .microlight { overflow: visible !important; max-height: none !important; overflow-wrap: anywhere; }
.swagger-ui .microlight { white-space: pre-wrap !important; }
.swagger-ui .microlight code { white-space: pre-wrap !important; }
@media (max-width: 44rem) {
  .swagger-ui .opblock-tag { flex-wrap: wrap; }
  .swagger-ui .opblock-tag small { order: 1; flex-basis: 100%; padding: .25rem 0 0; }
}
`;
