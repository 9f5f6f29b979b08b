import type { Contract } from '@holdfast/contracts';

/**
 * Lets the requests of a test wait ten times as long as their contracts say, which suit a machine that does nothing
 * else. The requests of the tested service keep their timeouts.
 */
export function patient<Bus extends { request(contract: Contract, ...rest: never[]): unknown }>(bus: Bus): Bus {
  const request = bus.request.bind(bus);
  // A contract's schemas are prepared once, so each is replaced by the same object every time.
  const replacements = new Map<Contract, Contract>();
  bus.request = (contract, ...rest) => {
    const replacement = replacements.get(contract) ?? { ...contract, timeoutMs: 10 * contract.timeoutMs };
    replacements.set(contract, replacement);
    return request(replacement, ...rest);
  };
  return bus;
}
