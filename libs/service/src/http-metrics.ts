import { Counter, Gauge, Histogram } from 'prom-client';

/**
 * Rate, errors and duration of what comes by HTTP. Every label has a closed list of values: nothing of a request's own
 * choosing.
 */
export const requestSeconds = new Histogram({
  name: 'holdfast_http_request_seconds',
  help: 'Time from the head of a request to the end of its response, by route template, method and class of status',
  labelNames: ['route', 'method', 'status_class'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
});

export const requestsTotal = new Counter({
  name: 'holdfast_http_requests_total',
  help: 'Requests by route template, method, status (499: the client went away) and class of organization',
  labelNames: ['route', 'method', 'status', 'organization'],
});

export const requestErrors = new Counter({
  name: 'holdfast_http_errors_total',
  help: 'Error responses by code; those of ours with the dependency that failed and how',
  labelNames: ['route', 'status', 'code', 'dependency', 'cause'],
});

export const requestsInFlight = new Gauge({
  name: 'holdfast_http_requests_in_flight',
  help: 'Requests that have not been answered yet',
});

export const accessLogLinesSummarized = new Counter({
  name: 'holdfast_access_log_lines_summarized_total',
  help: 'Requests that got no access line of their own, since there were too many of their class',
  labelNames: ['status_class'],
});
