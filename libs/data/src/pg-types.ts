import pg from 'pg';

/** bigint columns are versions and places in a log, far below 2^53: numbers serve better than strings. */
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
