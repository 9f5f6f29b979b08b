/** Customers on one page of the list. */
export const pageSize = 10;

/** Which part of the list is looked at, as the staff page's own address says it. */
export interface View {
  claimed?: 'true' | 'false';
  /** A `nextPageToken`; opaque, and good only with the filter that it came with. */
  page?: string;
}

export function viewOf(query: URLSearchParams): View {
  const claimed = query.get('claimed');
  const page = query.get('page');
  return { ...((claimed === 'true' || claimed === 'false') && { claimed }), ...(page && { page }) };
}

/** What Holdfast is asked. */
export function apiQuery({ claimed, page }: View): URLSearchParams {
  return new URLSearchParams({
    limit: String(pageSize),
    ...(claimed && { claimed }),
    ...(page && { next_page_token: page }),
  });
}

export function addressOf(path: string, { claimed, page }: View): string {
  const query = new URLSearchParams({ ...(claimed && { claimed }), ...(page && { page }) }).toString();
  return query ? `${path}?${query}` : path;
}

/** The list goes on from newest to oldest; back is to the newest, since a cursor leads one way. */
export function linksOf(
  path: string,
  view: View,
  nextPageToken: string | undefined,
): { newest?: string; older?: string } {
  const { page, ...filter } = view;
  return {
    ...(page && { newest: addressOf(path, filter) }),
    ...(nextPageToken && { older: addressOf(path, { ...filter, page: nextPageToken }) }),
  };
}
