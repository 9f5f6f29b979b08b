const pageSize = 10;

/** The part of the list to show, from the query string of the staff page. */
export interface ListView {
  claimed?: 'true' | 'false';
  /** A `nextPageToken`: opaque, and valid only with the filter that it was issued for. */
  page?: string;
}

export function listViewOf({ claimed, page }: Record<string, string | undefined>): ListView {
  return { ...((claimed === 'true' || claimed === 'false') && { claimed }), ...(page && { page }) };
}

/** The query of the API request. */
export function apiQuery({ claimed, page }: ListView): URLSearchParams {
  return new URLSearchParams({
    limit: String(pageSize),
    ...(claimed && { claimed }),
    ...(page && { next_page_token: page }),
  });
}

export function addressOf(path: string, { claimed, page }: ListView): string {
  const query = new URLSearchParams({ ...(claimed && { claimed }), ...(page && { page }) }).toString();
  return query ? `${path}?${query}` : path;
}

/** Page tokens lead to older customers only, so there is a link to the newest ones, and none to the previous page. */
export function linksOf(
  path: string,
  view: ListView,
  nextPageToken: string | undefined,
): { newest?: string; older?: string } {
  const { page, ...filter } = view;
  return {
    ...(page && { newest: addressOf(path, filter) }),
    ...(nextPageToken && { older: addressOf(path, { ...filter, page: nextPageToken }) }),
  };
}
