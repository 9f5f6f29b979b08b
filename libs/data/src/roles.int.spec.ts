import { databaseServices, marksSchema, markWriters } from '@holdfast/contracts';
import { createTestDatabase, type TestDatabase } from '@holdfast/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database, statement } from './database.js';

describe('what the database refuses', () => {
  let tables: TestDatabase;
  beforeAll(async () => {
    tables = await createTestDatabase('audit', () => Promise.resolve());
    for (const schema of databaseServices) await tables.query(`CREATE TABLE ${schema}.secret (id int)`);
    await tables.query('CREATE TABLE public.secret (id int)');
  });
  afterAll(() => tables.drop());

  it.each(databaseServices)('%s sees its own rows and nobody else’s, and changes no table', async (service) => {
    const database = await Database.connect({ url: tables.url(service), pool: 1, applicationName: 'test' });
    const run = (sql: string) => database.rows(statement('', sql));
    await run(`INSERT INTO secret VALUES (1)`);
    expect(await run(`SELECT * FROM ${service}.secret`)).toEqual([{ id: 1 }]);

    const others = [...databaseServices.filter((s) => s !== service), 'public'];
    const forbidden = others.flatMap((s) => [`SELECT * FROM ${s}.secret`, `INSERT INTO ${s}.secret VALUES (1)`]);
    const own = ['CREATE TABLE mine (id int)', `DROP TABLE ${service}.secret`, `TRUNCATE ${service}.secret`, 'CREATE SCHEMA mine', 'CREATE ROLE mine'];
    const marks = markWriters()
      .filter(({ readModel, writers }) => readModel !== service && !writers.includes(service))
      .map(({ readModel }) => `SELECT * FROM ${marksSchema}.${readModel}`);
    for (const sql of [...forbidden, ...own, ...marks]) await expect(run(sql)).rejects.toThrow(/permission denied|must be owner/);
    await database.close();
  });
});
