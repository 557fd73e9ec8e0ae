import { OutsideLink } from '../../shared/components/OutsideLink.tsx'

type OriginsProps = { returnToOrigins: string[]; trustedOrigins: string[] }

export function Origins({ returnToOrigins, trustedOrigins }: OriginsProps) {
  return (
    <section className="card" aria-labelledby="origins">
      <h2 id="origins">Allowed origins</h2>
      {returnToOrigins.length + trustedOrigins.length === 0 && (
        <p>None. RETURN_TO_ORIGINS and TRUSTED_ORIGINS are empty.</p>
      )}
      <ul className="rows">
        {returnToOrigins.map((origin) => (
          <li key={`return ${origin}`} className="row">
            <div className="row-text">
              <p>{origin}</p>
              <p className="soft">Sign-in returns here.</p>
            </div>
            <OutsideLink href={`/sign-in?next=${encodeURIComponent(origin)}`}>
              Try<span className="visually-hidden"> to return to {origin}</span>
            </OutsideLink>
          </li>
        ))}
        {trustedOrigins.map((origin) => (
          <li key={`trusted ${origin}`} className="row">
            <div className="row-text">
              <p>{origin}</p>
              <p className="soft">Its pages may call the service with the cookie of the user.</p>
            </div>
            <OutsideLink href={origin}>
              Open<span className="visually-hidden"> {origin}</span>
            </OutsideLink>
          </li>
        ))}
      </ul>
    </section>
  )
}
