import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { HoldfastApiError, HoldfastUnavailable } from '../holdfast/errors.ts';
import { renderMessage } from './page.ts';
import type { Notice } from './session.ts';

/** Error codes of the API, explained to staff and customers of the shop. */
const textByCode: Record<string, string> = {
  unknown_credential: 'Holdfast knows no such credential of this app’s customers.',
  not_revocable: 'A credential of this type cannot be suspended or revoked. It is valid until it expires.',
  presence_required: 'The organization accepts no offer without a presence proof. Switch on JavaScript for this page.',
  presence_invalid: 'The check that a person is present failed. Try again.',
  presence_expired: 'The check that a person is present took too long. Try again.',
  presence_replayed: 'This form was sent before. Try again.',
  unknown_subject: 'Holdfast knows no such customer of this app: there was no offer, or the customer was erased.',
  unknown_offer: 'Holdfast knows no such offer of this app: the customer was erased, or another app made the offer.',
  invalid_state: 'This is not possible now: the link was used, withdrawn or replaced, or the credential is suspended.',
  unknown_credential_type: 'The organization has no such credential type.',
  wrong_organization: 'The shop’s client id belongs to another organization than the API that it calls.',
  insufficient_scope: 'The shop’s app was not granted the scope that this needs.',
  invalid_scope: 'The shop’s app was not granted the scope that this needs.',
  invalid_client: 'The shop’s client id or client secret is wrong, or is not valid any more.',
  invalid_token: 'The shop’s access token was rejected. Its app may be disabled.',
  invalid_page_token: 'This page of the list is not available any more. Start again with the newest customers.',
  invalid_request: 'Holdfast does not accept the data that the shop sent.',
  rate_limited: 'Too many requests. Wait a moment and try again.',
  conflict: 'This request succeeded before, and its result does not exist any more.',
  idempotency_mismatch: 'The same form was sent before with other content. Load the page again.',
};

export function noticeOf({ code, detail, status }: HoldfastApiError): Notice {
  return {
    kind: 'bad',
    text: textByCode[code] ?? 'Holdfast rejected the request.',
    small: `${status} ${code}: ${detail}`,
  };
}

export function errorPage(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof HoldfastUnavailable) {
    request.log.warn(`Holdfast is unavailable: ${error.message}`);
    return renderMessage(reply, 503, {
      title: 'One moment, please',
      text: 'The service that makes and checks passkeys is unavailable. Nothing is lost; please try again in a minute.',
      hint: 'Sent a form? Go back and send it again: it counts once.',
    });
  }
  if (error instanceof HoldfastApiError) {
    request.log.warn(`Holdfast rejected a request: ${error.message}`);
    const { text, small } = noticeOf(error);
    return renderMessage(reply, 502, { title: 'That did not work', text, ...(small && { small }) });
  }
  // Fastify and its plug-ins: a form without a valid CSRF token, too long, or with fields that it does not have.
  if (error.statusCode !== undefined && error.statusCode < 500)
    return renderMessage(reply, error.statusCode, {
      title: 'Please try again',
      text: 'This form is too old, or did not come from this shop. Nothing was changed.',
    });
  request.log.error(error);
  return renderMessage(reply, 500, {
    title: 'Something went wrong',
    text: 'This is an error of the shop. Please try again later.',
  });
}

export function notFoundPage(_: FastifyRequest, reply: FastifyReply): FastifyReply {
  return renderMessage(reply, 404, { title: 'Nothing here', text: 'This page does not exist.' });
}
