import { useServices } from '../shared/api/use-services.ts'
import { ServiceTiles } from '../shared/components/ServiceTiles.tsx'

export function ServicesSection() {
  if (useServices().length === 0) return null
  return (
    <section className="card" aria-labelledby="services">
      <h2 id="services">Services</h2>
      <ServiceTiles />
    </section>
  )
}
