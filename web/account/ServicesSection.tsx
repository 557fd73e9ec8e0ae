import { useQuery } from '@tanstack/react-query'
import { settingsQuery } from '../shared/api/queries.ts'
import { ServiceTiles } from '../shared/components/ServiceTiles.tsx'

export function ServicesSection() {
  const { data: settings } = useQuery(settingsQuery)
  if (!settings || settings.services.length === 0) return null
  return (
    <section className="card" aria-labelledby="services">
      <h2 id="services">Services</h2>
      <ServiceTiles />
    </section>
  )
}
