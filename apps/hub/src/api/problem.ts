/** A member of the request that is not valid. */
interface ProblemIssue {
  pointer?: string;
  parameter?: string;
  detail: string;
}

/** An error response (RFC 9457), or no response at all. */
export class Problem extends Error {
  /** One of docs/reference/errors.md, or `unreachable`. */
  readonly code: string;
  readonly detail: string | undefined;
  /** For those who investigate it. */
  readonly requestId: string | undefined;
  readonly issues: readonly ProblemIssue[];
  /** Seconds. */
  readonly retryAfter: number | undefined;

  constructor(code: string, title: string, more: Partial<Omit<Problem, 'code'>> = {}) {
    super(title);
    this.code = code;
    this.detail = more.detail;
    this.requestId = more.requestId;
    this.issues = more.issues ?? [];
    this.retryAfter = more.retryAfter;
  }

  /** Whether there is no session, or no longer. */
  get isSignedOut(): boolean {
    return this.code === 'missing_token' || this.code === 'invalid_token';
  }

  /** Whether it is not known what the server did: the request may be repeated. */
  get isUncertain(): boolean {
    return this.code === 'unreachable' || this.code === 'unavailable' || /^http_5/.test(this.code);
  }

  /** What is wrong with a member of the body, such as `redirectUris`: also with one of its entries. */
  issueOf(member: string): string | undefined {
    return this.issues.find(({ pointer }) => pointer === `#/${member}` || pointer?.startsWith(`#/${member}/`))?.detail;
  }
}

/** @param body of the response, whatever it is: a proxy may have sent it */
export function problemOf(status: number, body: unknown, retryAfter: string | null): Problem {
  const { code, title, detail, requestId, errors } = (body !== null && typeof body === 'object' ? body : {}) as Record<
    string,
    unknown
  >;
  return new Problem(typeof code === 'string' ? code : `http_${status}`, typeof title === 'string' ? title : '', {
    ...(typeof detail === 'string' && { detail }),
    ...(typeof requestId === 'string' && { requestId }),
    ...(Array.isArray(errors) && { issues: errors as ProblemIssue[] }),
    ...(retryAfter !== null && /^\d{1,5}$/.test(retryAfter) && { retryAfter: Number(retryAfter) }),
  });
}
