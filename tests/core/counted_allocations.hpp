// SPDX-License-Identifier: LGPL-2.1-or-later
// Counts every allocation of the program. Defines the global operators: include it in one file of a program.
#pragma once

#include <cstdlib>
#include <new>

namespace test {

inline long allocations = 0;

}  // namespace test

void* operator new(std::size_t size)
{
    ++test::allocations;
    if (void* memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment)
{
    ++test::allocations;
    const auto unit = static_cast<std::size_t>(alignment);
    if (void* memory = std::aligned_alloc(unit, (size + unit - 1) / unit * unit)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept
{
    std::free(memory);
}

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Eigen allocates with malloc, past operator new.
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size)
{
    ++test::allocations;
    return __libc_malloc(size);
}
#endif
