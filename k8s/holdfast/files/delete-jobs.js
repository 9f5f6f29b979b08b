// Deletes the Jobs of the namespace whose names are the arguments, where they exist: run by the hook Job of
// templates/jobs.yaml with `node -e`, and its token.
const { readFileSync } = require('node:fs');

const read = (name) => readFileSync(`/var/run/secrets/kubernetes.io/serviceaccount/${name}`, 'utf8').trim();
const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
const address = host.includes(':') ? `[${host}]` : host;
const jobs = `https://${address}:${port}/apis/batch/v1/namespaces/${read('namespace')}/jobs`;

async function deleteJob(name) {
  const response = await fetch(`${jobs}/${name}?propagationPolicy=Background`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${read('token')}` },
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok && response.status !== 404)
    throw new Error(`The Kubernetes API refuses to delete the Job ${name} with ${response.status}.`);
  console.log(response.ok ? `Deleted the Job ${name}.` : `There is no Job ${name}.`);
}

Promise.all(process.argv.slice(1).map(deleteJob)).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
