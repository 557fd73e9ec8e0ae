import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { emailOf, numbers, USER_COUNT } from '../population.ts'

/** The minimum that a sign-in needs: one look-up, and one commit that reaches the disk. */
interface Users {
  getHash(email: string): Promise<string>
  insertSession(id: string, email: string): Promise<void>
}

const TABLES = `
  create table users (email text primary key, "passwordHash" text not null);
  create table sessions (id text primary key, email text not null references users);
  create index "sessions_email" on sessions (email);`

/** Fills an empty database with users who have the same password. */
export function openUsers(databaseUrl: string, passwordHash: string): Promise<Users> {
  const emails = numbers(USER_COUNT).map(emailOf)
  return databaseUrl.startsWith('sqlite:')
    ? openOnSqlite(databaseUrl.slice('sqlite:'.length), emails, passwordHash)
    : openOnPostgres(databaseUrl, emails, passwordHash)
}

async function openOnSqlite(path: string, emails: string[], passwordHash: string): Promise<Users> {
  const database = new DatabaseSync(path)
  database.exec(`pragma journal_mode = wal; pragma synchronous = full; ${TABLES} begin`)
  const insertUser = database.prepare('insert into users values (?, ?)')
  for (const email of emails) insertUser.run(email, passwordHash)
  database.exec('commit')
  const find = database.prepare('select "passwordHash" from users where email = ?')
  const insert = database.prepare('insert into sessions values (?, ?)')
  return {
    getHash: async (email) => find.get(email)?.passwordHash as string,
    insertSession: async (id, email) => void insert.run(id, email),
  }
}

async function openOnPostgres(connectionString: string, emails: string[], passwordHash: string): Promise<Users> {
  const pool = new pg.Pool({ connectionString })
  await pool.query(TABLES)
  await pool.query('insert into users select email, $2 from unnest($1::text[]) as email', [emails, passwordHash])
  return {
    async getHash(email) {
      const text = 'select "passwordHash" from users where email = $1'
      const { rows } = await pool.query({ name: 'find', text, values: [email] })
      return rows[0].passwordHash
    },
    async insertSession(id, email) {
      await pool.query({ name: 'insert', text: 'insert into sessions values ($1, $2)', values: [id, email] })
    },
  }
}
