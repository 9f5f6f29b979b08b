/** Connections per role: three replicas with pools of 12. `DB_CONNECTIONS` at `holdfast database setup` raises it. */
export const defaultConnectionLimit = 40;
