/**
 * The script of the reference page. Its plugin of Swagger UI shows `x-codeSamples`, and mends what keeps the page from
 * being read with a keyboard or a screen reader: a link inside of a button, and a level of headings that is left out.
 * The choice of a server has no name, and there is one server. The plugin resolves references by itself: all of them
 * lead into the document, and the resolver of Swagger UI for OpenAPI 3.1 parses the whole document for each operation,
 * which takes seconds.
 */
export const referenceScript = `let system;
const h = (...parts) => system.React.createElement(...parts);
const Sample = ({ label, source }) => h('figure', { className: 'sample' },
  h('figcaption', null, label),
  h('pre', { tabIndex: 0, role: 'group', 'aria-label': 'Sample for ' + label }, h('code', null, source)));
const Samples = ({ samples }) => h('section', { className: 'samples' },
  h('div', { className: 'opblock-section-header' }, h('h4', null, 'Samples')),
  ...samples.map((sample) => h(Sample, { key: sample.label, ...sample })));
const at = (document, path) => path.reduce((value, name) => value?.[name], document);
const targetOf = (document, reference) => at(document, reference.slice(2).split('/')
  .map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')));
const resolved = (document, value, within = []) => {
  if (Array.isArray(value)) return value.map((item) => resolved(document, item, within));
  if (value === null || typeof value !== 'object') return value;
  const { $ref: reference, ...others } = value;
  if (typeof reference === 'string' && !within.includes(reference))
    return { ...resolved(document, targetOf(document, reference), [...within, reference]),
      ...resolved(document, others, within) };
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolved(document, member, within)]));
};
const holdfast = (given) => (system = given, {
  fn: {
    resolveSubtree: async (document, path) => ({ spec: resolved(document, at(document, path)), errors: [] }),
  },
  components: { ServersContainer: () => null },
  wrapComponents: {
    DeepLink: (Original) => (props) => props.path.includes('/') ? h('span', null, props.text) : h(Original, props),
    operations: (Original) => (props) => h('div', null,
      h('h2', { className: 'operations-title' }, 'Operations'), h(Original, props)),
    InfoContainer: (Original) => (props) => h('section', { 'aria-label': 'About the API' }, h(Original, props)),
    ExamplesSelect: (Original) => (props) => h('label', null,
      h('span', { className: 'name-of-choice' }, 'Example'), h(Original, props)),
    responses: (Original, { specSelectors }) => (props) => {
      const samples = specSelectors.specJson().getIn(['paths', props.path, props.method, 'x-codeSamples']);
      return h('div', null, samples ? h(Samples, { samples: samples.toJS() }) : null, h(Original, props));
    },
  },
});
window.ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  plugins: [holdfast],
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  syntaxHighlight: false,
  supportedSubmitMethods: ['get', 'post', 'put', 'patch', 'delete'],
});
if (matchMedia('(prefers-color-scheme: dark)').matches) document.documentElement.classList.add('dark-mode');
`;
