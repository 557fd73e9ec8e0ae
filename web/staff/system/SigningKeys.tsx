import { moment } from '../../shared/format/moment.ts'
import { timeUntil } from '../../shared/format/time-until.ts'
import type { SystemState } from '../common/system.ts'

type SigningKey = SystemState['signingKeys'][number]

const STATES = {
  next: 'Signs next',
  signing: 'Signs tokens now',
  old: 'Still verifies tokens',
  retired: 'Retired',
  withdrawn: 'Withdrawn',
}

export function SigningKeys({ keys }: { keys: SigningKey[] }) {
  const next = keys.find(({ state }) => state === 'next')
  return (
    <section className="card" aria-labelledby="signing-keys">
      <h2 id="signing-keys">
        {next ? `The next signing key takes over ${timeUntil(new Date(next.activeAt))}` : 'Signing keys'}
      </h2>
      <ul className="rows">
        {keys.map((key) => (
          <li key={key.id} className="row">
            <div className="row-text">
              <p>
                <strong>{STATES[key.state]}</strong>
              </p>
              <p className="soft">
                {key.id}. {describe(key)}
              </p>
            </div>
          </li>
        ))}
      </ul>
      <p className="soft">
        Each of them signs with RS256 and with ES256. The command <code>keys rotate</code> starts a rotation. Every
        token verifies before, during and after it.
      </p>
    </section>
  )
}

function describe({ activeAt, retiresAt }: SigningKey): string {
  const signs = `Signs from ${moment(new Date(activeAt))}.`
  return retiresAt === null
    ? signs
    : `${signs} Verifies until ${moment(new Date(retiresAt))}, ${timeUntil(new Date(retiresAt))}.`
}
