/** The query parameters of a page of a list. @param token of the page before; empty for the first one */
export function pageOf(token: string) {
  return { limit: 100, ...(token !== '' && { next_page_token: token }) };
}

/** How the query library goes from one page of the API to the next. */
export const paging = {
  initialPageParam: '',
  getNextPageParam: ({ nextPageToken }: { nextPageToken?: string }) => nextPageToken,
} as const;
