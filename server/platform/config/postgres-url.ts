import { isDecodable } from './is-decodable.ts'
import { hostOf, isLoopback } from './loopback.ts'

/** The part before the hosts, the hosts, and the rest. URL and pg can't parse several hosts. */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/is

/** Parameters of pg that would replace the limits of requests, or the name by which `move` finds running services. */
const OWN_PARAMETERS = [
  'application_name',
  'fallback_application_name',
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'query_timeout',
  'client_encoding',
  'replication',
]

/** pg takes every other word for verify-full, also `allow`, with which libpq prefers connections without encryption. */
const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

/** As in libpq, a host without a port has port 5432. */
export function listHostUrls(url: string): string[] {
  const [, before = '', hosts = '', rest = ''] = PARTS.exec(url) ?? []
  return hosts.split(',').map((host) => `${before}${host}${rest}`)
}

/** pg would leave the codes of some characters, such as %40. */
export function findDatabaseName(url: string): string | undefined {
  const name = new URL(url).pathname.slice(1)
  return name !== '' && isDecodable(name) ? decodeURIComponent(name) : undefined
}

/** Whether commands may use a standby too, such as a backup. */
export function allowsStandby(url: string): boolean {
  return targetOf(url) === 'any'
}

/** @returns the problem, without the URL, which may contain a password */
export function findPostgresUrlProblem(url: string): string | undefined {
  const urls = listHostUrls(url)
  if (!urls.every((one) => URL.canParse(one) && (urls.length === 1 || new URL(one).hostname !== '')))
    return 'is not an address such as postgres://user:password@host/database, or …@host1:5432,host2:5432/database. Write special characters of the password in percent-encoding'
  const { searchParams } = new URL(urls[0] ?? '')
  if (searchParams.has('host') && (urls.length > 1 || searchParams.get('host')?.includes(',')))
    return 'has several hosts and the parameter host: write all hosts before the name of the database, separated by commas'
  const own = OWN_PARAMETERS.find((name) => searchParams.has(name))
  if (own) return `has the parameter ${own}, which the service sets itself: leave it out`
  if (searchParams.has('service'))
    return 'has the parameter service, which is not supported: write the host, the database and the user'
  const sslMode = searchParams.get('sslmode')
  if (sslMode !== null && !SSL_MODES.includes(sslMode))
    return 'has an sslmode that is not supported: write verify-full, or disable for no encryption'
  const target = targetOf(url)
  if (!['read-write', 'primary', 'any'].includes(target))
    return 'has an unknown target_session_attrs: write read-write or primary, or leave it out'
  if (target === 'any' && urls.length > 1)
    return 'has target_session_attrs=any and several hosts: only the primary can be used. Write read-write, or leave it out'
  return undefined
}

/** Each of these parameters makes pg encrypt the connections, or says that it must not. */
const ENCRYPTION_PARAMETERS = ['sslmode', 'ssl', 'sslcert', 'sslkey', 'sslrootcert']

/** @param environment of libpq, which pg reads too @returns the problem of plain connections to another machine */
export function findEncryptionProblem(
  url: string,
  { PGSSLMODE, PGHOST = '' }: { PGSSLMODE?: string; PGHOST?: string },
): string | undefined {
  if (PGSSLMODE) return undefined
  const exposed = listHostUrls(url)
    .map((one) => new URL(one))
    .filter(({ searchParams }) => !ENCRYPTION_PARAMETERS.some((name) => searchParams.has(name)))
    .map((one) => (one.searchParams.get('host') ?? decodeURIComponent(hostOf(one))) || PGHOST)
    .filter((host) => host !== '' && !host.startsWith('/') && !isLoopback(host.toLowerCase()))
  if (exposed.length === 0) return undefined
  return `the connections to ${exposed.join(', ')} are not encrypted: add sslmode=verify-full to DATABASE_URL, or sslmode=disable if nothing else can read this network (docs/operations.md, "PostgreSQL")`
}

function targetOf(url: string): string {
  return new URL(listHostUrls(url)[0] ?? '').searchParams.get('target_session_attrs') ?? 'read-write'
}
