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
  unknown_reader: {
    status: 404,
    title: 'There is no such reader of the stream of entries',
    help: 'List the readers: `holdfast audit reader list --org <org>`, or `--all`.',
  },
} as const;
