interface Page<Item> {
  items: Item[];
  hasMore: boolean;
  nextPageToken?: string;
}

interface ListParameters {
  query?: { next_page_token?: string };
}

/**
 * The items of a list, page after page: `for await (const { subject } of eachItem(holdfast.listSubjects))`. A page is
 * read when the items before it have been used.
 *
 * @param parameters those of the call, such as `{ query: { limit: 200 } }`
 */
export async function* eachItem<Item, Parameters extends ListParameters>(
  list: (parameters?: Parameters) => Promise<Page<Item>>,
  parameters: Parameters = {} as Parameters,
): AsyncGenerator<Item, void, undefined> {
  for (let token: string | undefined, hasMore = true; hasMore;) {
    const query = { ...parameters.query, ...(token !== undefined && { next_page_token: token }) };
    const page = await list({ ...parameters, query });
    yield* page.items;
    ({ hasMore, nextPageToken: token } = page);
  }
}
