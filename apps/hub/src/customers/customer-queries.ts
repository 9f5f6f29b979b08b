import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Schemas } from '@holdfast/api-client';
import { api, change, dataOf, path } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { pageOf, paging } from '../parts/pages.ts';
import type { CustomerSearch } from './customer-search.ts';

export type CustomerSummary = Schemas['SubjectSummary'];
export type Customer = Schemas['Subject'];
export type Credential = Schemas['Credential'];
export type HistoryEntry = Schemas['AuditEvent'];
export type SignInDiagnosis = Schemas['SignInDiagnosis'];

/** As the API names them. */
export function parametersOf({ app, claimed }: CustomerSearch): { app?: string; claimed?: 'true' | 'false' } {
  return { ...(app && { app }), ...(claimed !== undefined && { claimed: claimed ? 'true' : 'false' }) };
}

export const customersQuery = (search: CustomerSearch) =>
  infiniteQueryOptions({
    queryKey: ['customers', search],
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET('/o/{shortId}/api/credentials/subjects', {
          params: { path, query: { ...pageOf(pageParam), ...parametersOf(search) } },
        }),
      ),
    ...paging,
  });

const ofSubject = (subject: string) => ({ params: { path: { ...path, subject } } });

export const customerQuery = (subject: string) =>
  queryOptions({
    queryKey: ['customer', subject],
    queryFn: () => dataOf(api.GET('/o/{shortId}/api/credentials/subjects/{subject}', ofSubject(subject))),
  });

export const diagnosisQuery = (subject: string) =>
  queryOptions({
    queryKey: ['customer', subject, 'sign-in-diagnosis'],
    queryFn: () =>
      dataOf(api.GET('/o/{shortId}/api/credentials/subjects/{subject}/sign-in-diagnosis', ofSubject(subject))),
  });

export const sessionsQuery = (subject: string) =>
  queryOptions({
    queryKey: ['customer', subject, 'sessions'],
    queryFn: () => dataOf(api.GET('/o/{shortId}/api/credentials/subjects/{subject}/sessions', ofSubject(subject))),
  });

export const historyQuery = (subject: string) =>
  infiniteQueryOptions({
    queryKey: ['customer', subject, 'history'],
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET('/o/{shortId}/api/credentials/subjects/{subject}/history', {
          params: { path: { ...path, subject }, query: pageOf(pageParam) },
        }),
      ),
    ...paging,
  });

/** Expiration is derived from time and is no status. */
export function isExpired({ expiresAt }: Pick<Credential, 'expiresAt'>, now: Date): boolean {
  return expiresAt !== undefined && new Date(expiresAt) <= now;
}

/** After a change of the customer. */
export async function reloadCustomer(subject: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['customer', subject] }),
    queryClient.invalidateQueries({ queryKey: ['customers'] }),
  ]);
}

/** A claim link that was just made. It is in the memory of this tab, and nowhere else. */
export const newOfferKey = (subject: string) => ['new-offer', subject] as const;

/** Makes an offer, and keeps its link for the screen of the customer. */
export async function makeOffer(body: Schemas['OfferRequest']): Promise<Schemas['Offer']> {
  const offer = await change({ offer: body }, (header) =>
    api.POST('/o/{shortId}/api/credentials/offers', { params: { path, header }, body }),
  );
  queryClient.setQueryData(newOfferKey(offer.subject), offer);
  await reloadCustomer(offer.subject);
  return offer;
}
