import pg from 'pg';

/** bigint columns contain versions and leaf indexes, far below 2^53, so they are read as numbers. */
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
