/**
 * Timeout of a read of the log. A read also appends a record of itself. While audit hangs, both together must
 * time out within the two seconds after which a caller gets its 503 (product §7).
 */
export const readTimeoutMs = 1600;
