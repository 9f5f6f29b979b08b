/** Errors of what is sent to receivers, a part of the catalogue (`../errors.ts#errorCatalogue`). */
export const sendingErrors = {
  unknown_destination: {
    status: 404,
    title: 'The organization has no such destination of its audit log',
    help: 'Use the `id` of a destination of this organization: `GET …/api/admin/audit/destinations` lists them.',
  },
  unknown_webhook_endpoint: {
    status: 404,
    title: 'The organization has no such webhook endpoint',
    help: 'Use the `id` of an endpoint of this organization: `GET …/api/admin/webhooks/endpoints` lists them.',
  },
  unknown_webhook_message: {
    status: 404,
    title: 'The organization has no such message',
    help:
      'Use the `id` of a message: `GET …/api/admin/webhooks/messages` lists them. Messages are kept as long as the ' +
      'feed of events, and those about an erased customer are deleted.',
  },
  unknown_stream: {
    status: 404,
    title: 'There is no such stream of security events',
    help:
      'Use the `stream_id` of a stream of this receiver: `GET …/ssf/streams` lists them; an administrator lists ' +
      'those of all receivers with `GET …/api/admin/ssf/streams`.',
  },
  stream_paused: {
    status: 403,
    title: 'Only an administrator resumes this stream',
    help: 'An administrator of the organization has paused it: `POST …/api/admin/ssf/streams/{id}/resume`.',
  },
  unknown_reader: {
    status: 404,
    title: 'There is no such reader of the stream of entries',
    help: 'List the readers: `holdfast audit reader list --org <org>`, or `--all`.',
  },
} as const;
