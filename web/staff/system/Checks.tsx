import type { SystemState } from '../common/system.ts'

type Check = SystemState['checks'][number]

const BADGES = { ok: 'badge-good', warning: 'badge-open', failed: 'badge-bad' }
const WORDS = { ok: 'Fine', warning: 'Look at it', failed: 'Failed' }

/** What `doctor` checks too. */
export function Checks({ checks }: { checks: Check[] }) {
  const bad = checks.filter(({ status }) => status !== 'ok').length
  return (
    <section className="card" aria-labelledby="checks">
      <h2 id="checks">
        {bad === 0 ? 'All checks pass' : `${bad} of ${checks.length} checks ${bad === 1 ? 'needs' : 'need'} a look`}
      </h2>
      <ul className="rows">
        {checks.map(({ name, status, message }) => (
          <li key={name} className="row">
            <div className="row-text">
              <p>
                <strong>{name}</strong>
              </p>
              <p className="soft">{message}</p>
            </div>
            <span className={`badge ${BADGES[status]}`}>{WORDS[status]}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
